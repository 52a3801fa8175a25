import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Allocates at a steady pace in many threads, and prints each second what the JVM itself says they have allocated. */
public class Allocate {
    static volatile Object kept;

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[0]);
        long perSecond = Long.parseLong(args[1]);
        int size = Integer.parseInt(args[2]);
        for (int number = 0; number < threads; number++) {
            Thread thread = new Thread(() -> allocate(perSecond / threads / 100, size));
            thread.setDaemon(true);
            thread.start();
        }
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int second = Integer.parseInt(args[3]); second > 0; second--) {
            Thread.sleep(1000);
            long sum = 0;
            for (long bytes : bean.getThreadAllocatedBytes(bean.getAllThreadIds())) {
                sum += Math.max(0, bytes);
            }
            System.out.println(sum);
        }
        Thread.sleep(1000); // in which the last counters are read
        System.exit(0);
    }

    /** Allocates so many bytes in each hundredth of a second, and keeps five objects at a time. */
    private static void allocate(long bytes, int size) {
        Object[] last = new Object[5];
        try {
            for (int number = 0; ; Thread.sleep(10)) {
                for (long done = 0; done < bytes; done += size + 16) {
                    last[number++ % last.length] = new byte[size];
                    number %= last.length;
                }
                kept = last;
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
