// SPDX-License-Identifier: BSD-2-Clause-Patent
// Tests vmaf-mcp with the two generations of the protocol's official SDK. They check every
// message, and every structured result against the schema that the server gave for it.
// usage: clients_test.mjs VMAF_MCP FOLDER TUNE|-    from a folder with node_modules
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [program, folder, tune] = process.argv.slice(2);
const require = createRequire(pathToFileURL(process.cwd() + '/'));
const load = async name => import(pathToFileURL(require.resolve(name)));
const first = [await load('@modelcontextprotocol/sdk/client/index.js'),
               await load('@modelcontextprotocol/sdk/client/stdio.js')];
// The second generation needs a newer node.
const second = await Promise.all([load('@modelcontextprotocol/client'), load('@modelcontextprotocol/client/stdio')])
    .catch(() => null);

const who = { name: 'clients_test', version: '1' };
const kinds = [
    { title: 'sdk 1', parts: first, options: {}, version: '2025-11-25' },
    { title: 'sdk 2, as it comes', parts: second, options: {}, version: null },
    { title: 'sdk 2, newest', parts: second, options: { versionNegotiation: { mode: 'auto' } }, version: '2026-07-28' },
].filter(kind => kind.parts);

async function connect(kind) {
    const [{ Client }, { StdioClientTransport }] = kind.parts;
    const client = new Client(who, kind.options);
    const args = ['--allow', folder, ...(tune === '-' ? [] : ['--tune', tune])];
    await client.connect(new StdioClientTransport({ command: program, args, stderr: 'inherit' }));
    // Clients complain about progress that arrives just after a call was cancelled, which is no error.
    client.onerror = error => assert.ok(client.cancelled && /progress notification for an unknown token/.test(error),
                                        `${kind.title}: ${error}`);
    return client;
}

// Options are the last argument; only the first generation has the result's schema before them.
function call(kind, client, name, args, options = {}) {
    const params = { name, arguments: args };
    options = { timeout: 300000, ...options };
    return kind.parts === first ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

async function good(kind, client, name, args, options) {
    const result = await call(kind, client, name, args, options);
    assert.ok(!result.isError, JSON.stringify(result.content));
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result;
}

const pair = { reference: 'ref.y4m', distorted: 'dist.y4m' };
const slow = { reference: 'slow_ref.y4m', distorted: 'slow_dist.y4m' };  // two frames a second
const long = { reference: 'long.yuv', distorted: 'long.yuv', threads: 1,
               raw: { width: 1920, height: 1080, pixel_format: '420', bitdepth: 8 } };

async function checkTools(kind, client) {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(tool => tool.name),
                     ['score', 'compare', 'worst_frames', 'list_backends', 'describe_model', 'search_target']);
    for (const tool of tools)
        assert.ok(tool.description && tool.inputSchema && tool.outputSchema && tool.title, tool.name);
    const score = (await good(kind, client, 'score', { ...pair, features: ['psnr'] })).structuredContent;
    assert.ok(score.score > 0 && score.pooled.vmaf.p5 <= score.pooled.vmaf.mean && score.pooled.psnr_y);
    const videos = (await good(kind, client, 'compare', { reference: 'ref.y4m', distorted: ['dist.y4m', 'ref.y4m'] }))
        .structuredContent.results;
    assert.deepEqual(videos.map(video => video.distorted), ['ref.y4m', 'dist.y4m']);
    assert.equal(videos[1].score, score.score);
    const backends = (await good(kind, client, 'list_backends', {})).structuredContent.backends;
    assert.ok(backends.some(backend => backend.name === 'cpu' && backend.usable));
    const models = (await good(kind, client, 'describe_model', { model: 'vmaf_v0.6.1' })).structuredContent.models;
    assert.equal(models[0].features.length, 6);
}

async function checkPictures(kind, client) {
    const worst = await good(kind, client, 'worst_frames', { ...slow, count: 2 });
    const images = worst.content.filter(part => part.type === 'image');
    if (!worst.structuredContent.problem)
        assert.equal(images.length, 4);
    for (const image of images) {
        assert.equal(image.mimeType, 'image/png');
        assert.equal(Buffer.from(image.data, 'base64').subarray(0, 8).toString('hex'), '89504e470d0a1a0a');
    }
    assert.equal(worst.structuredContent.worst.length, 2);
}

async function checkErrors(kind, client) {
    const outside = await call(kind, client, 'score', { ...pair, reference: '/etc/passwd' });
    assert.ok(outside.isError && outside.content[0].text.includes('no such file'));
    const wrong = await call(kind, client, 'score', { reference: 5 });
    assert.ok(wrong.isError);
    await assert.rejects(call(kind, client, 'no_such_tool', {}), /Unknown tool/);
}

async function checkProgress(kind, client) {
    const abort = new AbortController();
    const seen = [];
    const options = { signal: abort.signal, onprogress: progress => {
        seen.push(progress);
        if (seen.length === 2) {
            client.cancelled = true;
            abort.abort('enough');
        }
    } };
    await assert.rejects(call(kind, client, 'score', long, options));
    assert.ok(seen.length >= 2 && seen[1].progress > seen[0].progress && seen[0].total > 0 && seen[0].message);
    // The server continues normally.
    await good(kind, client, 'score', pair);
}

async function checkSearch(kind, client) {
    const seen = [];
    const { structuredContent: found } = await good(
        kind, client, 'search_target',
        { source: 'ref.y4m', encoder: 'libx264', preset: 'ultrafast', target: 80, samples: 0, lowest: 15, highest: 45 },
        { onprogress: progress => seen.push(progress) });
    assert.ok(found.reached && found.found.score >= 80 && found.option === 'crf' && found.source === 'ref.y4m');
    assert.ok(found.tries.length > 1);
}

for (const kind of kinds) {
    const client = await connect(kind);
    const version = client.getNegotiatedProtocolVersion?.();
    if (kind.version && version)
        assert.equal(version, kind.version);
    await checkTools(kind, client);
    await checkPictures(kind, client);
    await checkErrors(kind, client);
    await checkProgress(kind, client);
    if (tune !== '-' && kind === kinds[0])
        await checkSearch(kind, client);
    await client.close();
    console.log(`passed ${kind.title}${version ? `, revision ${version}` : ''}`);
}
