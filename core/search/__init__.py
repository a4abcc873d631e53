"""Searches by CMA-ES that can be stopped and go on."""
