"""The geometric algorithms: points of hulls that move to vertices, or from one to another."""

from mercer.lab.hull_solvers.frank_wolfe import Gilbert, Gsk
from mercer.lab.hull_solvers.mdm import Mdm

__all__ = ["Gilbert", "Gsk", "Mdm"]
