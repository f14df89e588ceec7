"""Missing input values outside the trees: mechanisms, imputation and indicators."""

from treecrf.missing.mechanisms import MECHANISMS as MECHANISMS
from treecrf.missing.mechanisms import by_label as by_label
from treecrf.missing.mechanisms import by_neighbour as by_neighbour
from treecrf.missing.mechanisms import by_observation as by_observation
from treecrf.missing.mechanisms import by_value as by_value
from treecrf.missing.mechanisms import in_runs as in_runs
from treecrf.missing.mechanisms import inject as inject
from treecrf.missing.transforms import MISSING_CATEGORY as MISSING_CATEGORY
from treecrf.missing.transforms import Imputer as Imputer
from treecrf.missing.transforms import Indicator as Indicator
from treecrf.missing.transforms import transform_of as transform_of
