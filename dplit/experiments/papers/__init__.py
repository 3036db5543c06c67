"""The papers' tables and figures as experiments, one module a paper, loaded when asked for."""
