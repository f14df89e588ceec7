"""`fuzz_models` of the labellers of the studies."""

from fuzz_models import main
from own_labellers import OWN_LABELLERS

if __name__ == "__main__":
    main(OWN_LABELLERS)
