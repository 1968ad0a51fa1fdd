# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A run's scores, read from its JSON report."""
import dataclasses
import math
from typing import Any, Dict, List, Mapping, Sequence

try:
    import numpy
except ImportError:  # lists take the place of arrays
    numpy = None  # type: ignore[assignment]


@dataclasses.dataclass(frozen=True)
class Warning:
    """A reason to doubt the scores. Programs tell warnings apart by the code."""
    code: str
    text: str
    side: str = ''  # 'reference', 'distorted', or empty for the run as a whole


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _array(values: Sequence[float]) -> Any:
    return list(values) if numpy is None else numpy.array(values, dtype=numpy.float64)


class Result:
    """The scores of one distorted video.

    frames         scores by metric: an array with one number a frame (a list without numpy); nan: no score
    frame_numbers  the frames' numbers, which are not all numbers if frames were left out
    pooled         by metric and method: mean, harmonic_mean, min, max, stddev, median, p1, p5, …, p99
    models         the mean score of each model
    warnings       reasons to doubt the scores
    places         by extractor: what computed it ('backend', 'device', 'device_type', 'instruction_set', …)
    report         the whole JSON report
    """

    def __init__(self, report: Mapping[str, Any]) -> None:
        details: Mapping[str, Any] = report['vmaf_turbo']
        frames: List[Mapping[str, Any]] = report['frames']
        self.report = report
        self.frame_numbers: List[int] = [frame['frameNum'] for frame in frames]
        names = list(dict.fromkeys(name for frame in frames for name in frame['metrics']))
        self.frames: Dict[str, Any] = {
            name: _array([_number(frame['metrics'].get(name)) for frame in frames]) for name in names}
        self.pooled: Dict[str, Dict[str, float]] = {
            name: {method: _number(value) for method, value in methods.items()}
            for name, methods in details['pooled'].items()}
        self.models: Dict[str, float] = {
            model['metric']: self.pooled.get(model['metric'], {}).get('mean', math.nan) for model in details['models']}
        self.warnings: List[Warning] = [
            Warning(warning['code'], warning['text'], warning.get('input', '')) for warning in details['warnings']]
        self.places: Dict[str, Dict[str, Any]] = {
            feature['extractor']: {key: value for key, value in feature.items() if key not in ('extractor', 'options')}
            for feature in details['features']}

    @property
    def score(self) -> float:
        """The mean score of the first model. KeyError: there is no model."""
        for value in self.models.values():
            return value
        raise KeyError('no model was used; the scores of features are in `pooled` and `frames`')

    def to_pandas(self) -> Any:
        """The frames' scores as a pandas.DataFrame, a column for each metric."""
        import pandas
        return pandas.DataFrame(self.frames, index=pandas.Index(self.frame_numbers, name='frame'))

    def __len__(self) -> int:
        return len(self.frame_numbers)

    def __repr__(self) -> str:
        means = self.models or {name: methods.get('mean', math.nan) for name, methods in self.pooled.items()}
        return f'<Result of {len(self)} frames: {", ".join(f"{name} {value:.6f}" for name, value in means.items())}>'
