"""Explains errors about the bodies, branches and carries of scan, while_loop, fori_loop, cond and switch."""
