// The file server of Go's net/http.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// docroot is the folder that is served. Unlike http.Dir it leads nowhere out of it, and has no lists of folders.
type docroot struct {
	root *os.Root
}

func (d docroot) Open(name string) (http.File, error) {
	file, err := d.root.Open(strings.TrimPrefix(path.Clean("/"+name), "/"))
	if err != nil {
		return nil, os.ErrNotExist
	}
	// An *os.File as it is, so that net/http can use sendfile.
	if found, err := file.Stat(); err != nil || !found.Mode().IsRegular() {
		file.Close()
		return nil, os.ErrNotExist
	}
	return file, nil
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("go", strings.TrimPrefix(runtime.Version(), "go"))
		return
	}
	address := setting("ADDRESS", "0.0.0.0")
	if net.ParseIP(address) == nil {
		fail(2, fmt.Errorf("ADDRESS must be an IP address, not '%s'", address))
	}
	port := number("PORT", 8080, 65_535)
	backlog := number("BACKLOG", 10_000, 1<<31-1)
	// Without the variable Go takes as many as it may run on.
	runtime.GOMAXPROCS(number("PROCESSORS", runtime.GOMAXPROCS(0), 1<<16))
	folder := setting("DOCROOT", "/srv/www")
	root, err := os.OpenRoot(folder)
	if err != nil || !filepath.IsAbs(folder) {
		fail(2, fmt.Errorf("DOCROOT must be the absolute path of a folder, not '%s'", folder))
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	if err != nil {
		fail(1, err)
	}
	if err := setBacklog(listener.(*net.TCPListener), backlog); err != nil {
		fail(1, err)
	}
	fmt.Println("ready on port", port)
	fail(1, http.Serve(listener, http.FileServer(docroot{root})))
}

// setBacklog has the socket listen once more: Go has no setting, and takes the kernel's limit.
func setBacklog(listener *net.TCPListener, backlog int) error {
	socket, err := listener.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := socket.Control(func(fd uintptr) { failed = syscall.Listen(int(fd), backlog) }); err != nil {
		return err
	}
	return failed
}

func setting(name, fallback string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return fallback
}

func number(name string, fallback, most int) int {
	value := setting(name, strconv.Itoa(fallback))
	found, err := strconv.Atoi(value)
	if err != nil || found < 1 || found > most {
		fail(2, fmt.Errorf("%s must be a whole number from 1 to %d, not '%s'", name, most, value))
	}
	return found
}

func fail(code int, why error) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(code)
}
