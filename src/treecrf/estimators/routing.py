"""`MetadataRequests`: what scikit-learn's searches and pipelines pass on to a labeller besides sequences and labels."""

from __future__ import annotations

import inspect
from typing import Any, Self

from treecrf.io.messages import refuse_unknown


class MetadataRequests:
    """scikit-learn's metadata routing (https://scikit-learn.org/stable/metadata_routing.html), without scikit-learn.

    What `fit`, `predict` and `score` take by name after sequences and labels can be requested: ``sample_weight``,
    ``groups`` and others. Nothing is requested unless a user says so.
    """

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Say which arguments of `fit` others pass on.

        Parameters
        ----------
        **requests
            By argument, such as ``sample_weight`` and ``groups``: True (passed on), False (not passed on), None
            (refused where it is given), or the name that it has where it is given.

        Raises
        ------
        RuntimeError
            Unless scikit-learn's metadata routing is switched on.
        TypeError
            For an argument that the method does not have.
        """
        return self._request("fit", requests)

    def set_predict_request(self, **requests: bool | str | None) -> Self:
        """Say which arguments of `predict` others pass on, as for `set_fit_request`."""
        return self._request("predict", requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Say which arguments of `score` others pass on, as for `set_fit_request`."""
        return self._request("score", requests)

    def get_metadata_routing(self) -> Any:
        """The requests, as scikit-learn's ``MetadataRequest``."""
        if "_metadata_request" in vars(self):  # the name that scikit-learn's `clone` knows
            return self._metadata_request
        from sklearn.utils.metadata_routing import MetadataRequest

        requests = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "predict", "score"):
            for name in self._metadata_of(method):
                getattr(requests, method).add_request(param=name, alias=None)
        return requests

    def _metadata_of(self, method: str) -> list[str]:
        """Names of the arguments of a method after sequences and labels."""
        parameters = inspect.signature(getattr(self, method)).parameters.values()
        return [p.name for p in parameters if p.name not in ("X", "y") and p.kind is not p.VAR_KEYWORD]

    def _request(self, method: str, requests: dict[str, bool | str | None]) -> Self:
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "requests need metadata routing; switch it on (sklearn.set_config(enable_metadata_routing=True))."
            )
        refuse_unknown(requests, self._metadata_of(method), f"{method} of {type(self).__name__}")
        routing = self.get_metadata_routing()
        for name, alias in requests.items():
            getattr(routing, method).add_request(param=name, alias=alias)
        self._metadata_request = routing
        return self
