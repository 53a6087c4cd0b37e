"""Earlier path algorithms, for study: what they do, and where they break."""

from mercer.lab.path_baselines.hastie import BaselinePath, hastie_path
from mercer.lab.path_baselines.ong import ong_path
from mercer.lab.path_baselines.random_ridge import random_ridge_path

__all__ = ["BaselinePath", "hastie_path", "ong_path", "random_ridge_path"]
