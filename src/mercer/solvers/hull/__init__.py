"""The geometric algorithms: points of hulls that move to vertices, or from one to another."""

from mercer.solvers.hull.frank_wolfe import Gilbert, Gsk
from mercer.solvers.hull.mdm import Mdm

__all__ = ["Gilbert", "Gsk", "Mdm"]
