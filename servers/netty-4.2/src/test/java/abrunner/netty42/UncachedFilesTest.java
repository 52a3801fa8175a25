package abrunner.netty42;

import abrunner.harness.FileServerContract;
import abrunner.harness.Server;
import abrunner.harness.Settings;
import java.util.Map;

class UncachedFilesTest extends FileServerContract {
    @Override
    protected Server server(Settings settings) {
        return NettyMain.server(settings);
    }

    @Override
    protected Map<String, String> variant() {
        Map<String, String> variant = super.variant();
        variant.put("FILE_CACHE", "off");
        return variant;
    }
}
