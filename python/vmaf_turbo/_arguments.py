# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Models and features as callers give them."""
import os
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple, Union

Models = Union[str, Sequence[str]]
Features = Union[str, Iterable[str], Mapping[str, Mapping[str, Any]]]


def text_of(value: Any) -> str:
    return {True: 'true', False: 'false'}[value] if isinstance(value, bool) else str(value)


def models_of(models: Models) -> List[str]:
    return [models] if isinstance(models, str) else list(models)


def metric_of(model: str) -> str:
    """The name of the scores of a model that is not the first one; those of the first are called vmaf."""
    return os.path.splitext(os.path.basename(model))[0] if os.path.isfile(model) else model


def features_of(features: Features) -> List[Tuple[str, Dict[str, str]]]:
    """Returns extractors with their options: of 'psnr', of 'psnr=enable_chroma=false', of a list of these, or of
    {'psnr': {'enable_chroma': False}}."""
    if isinstance(features, Mapping):
        return [(name, {key: text_of(value) for key, value in options.items()}) for name, options in features.items()]
    found = []
    for feature in [features] if isinstance(features, str) else features:
        name, _, rest = feature.partition('=')
        options = dict(item.partition('=')[::2] for item in rest.split(':') if item)
        found.append((name, options))
    return found
