"""The words of the toolkit as plain frozen data, which every room may import: no I/O, no behaviour beyond small derived
values."""
