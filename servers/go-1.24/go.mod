module abrunner/server

go 1.24
