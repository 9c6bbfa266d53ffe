"""What JAX did while some code ran: calls, cache misses, stage times, programs."""
