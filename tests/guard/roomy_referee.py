"""A referee as on a host with cores enough that two builders work while something is timed."""

from guard.referee import main as referee
from guard.referee.cores import Cores

if __name__ == "__main__":
    referee.shared_out = lambda cores, referees: Cores(builders=2, building=(), apart=True)
    referee.main()
