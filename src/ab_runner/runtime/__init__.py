"""Where servers and the generator run. One interface, two ways: `docker` and `process`."""
