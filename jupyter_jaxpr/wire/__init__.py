"""Messages between the kernel and the panel."""
