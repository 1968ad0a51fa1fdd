// SPDX-License-Identifier: BSD-2-Clause-Patent
// Checks Jobs, a JSON list on standard input, against Kubernetes' published schema. The schema allows unknown
// keys; this check does not: a key whose value may be anything, even a function, counts as unknown.
import { readFileSync } from 'node:fs';
import { validate } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job';

let failed = false;

function complain(job, text) {
    console.log(`${job.metadata.name}: ${text}`);
    failed = true;
}

function probe(job, node, path) {
    for (const key of Object.keys(node)) {
        const value = node[key];
        node[key] = () => 0;
        if (validate(job))
            complain(job, `nobody knows ${path}/${key}`);
        node[key] = value;
        if (value && typeof value === 'object')
            probe(job, value, `${path}/${key}`);
    }
}

for (const job of JSON.parse(readFileSync(0, 'utf-8'))) {
    if (!validate(job)) {
        for (const error of validate.errors)
            complain(job, `${error.instancePath} ${error.keyword} ${JSON.stringify(error.params)}`);
        continue;
    }
    probe(job, job, '');
}
process.exit(failed ? 1 : 0);
