"""Foot pressure: what a pad or insoles under the feet have felt."""
