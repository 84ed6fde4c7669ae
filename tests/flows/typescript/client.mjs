// The official TypeScript clients, unmodified. Usage: node client.mjs v2|v2-legacy|v1 URL
// Speaks lines of JSON with the test: {"authorize": url} asks for a login, the answer is the callback's address;
// {"journey": {...}} is what the client got to see. Whatever else it needs to say goes to stderr.
import { createInterface } from 'node:readline/promises';

const [sdk, url] = process.argv.slice(2);
const CALLBACK = 'http://localhost:33418/callback';

async function load() {
    if (sdk !== 'v1') return await import('@modelcontextprotocol/client');
    const [client, http, auth] = await Promise.all([
        import('@modelcontextprotocol/sdk/client/index.js'),
        import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
        import('@modelcontextprotocol/sdk/client/auth.js'),
    ]);
    return { ...client, ...http, ...auth };
}

const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await load();
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (message) => console.log(JSON.stringify(message));

/** What a host keeps for one server. */
class Person {
    kept = {};
    redirectUrl = CALLBACK;
    clientMetadata = { client_name: 'TypeScript client', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
    clientInformation() { return this.kept.client; }
    saveClientInformation(client) { this.kept.client = client; }
    tokens() { return this.kept.tokens; }
    saveTokens(tokens) { this.kept.tokens = tokens; }
    codeVerifier() { return this.kept.verifier; }
    saveCodeVerifier(verifier) { this.kept.verifier = verifier; }
    discoveryState() { return this.kept.discovery; }
    saveDiscoveryState(discovery) { this.kept.discovery = discovery; }
    redirectToAuthorization(address) { say({ authorize: String(address) }); }
}

const person = new Person();
const options = sdk === 'v2' ? { versionNegotiation: { mode: 'auto' } } : {};

async function connect() {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: person });
    const client = new Client({ name: 'flows', version: '1' }, options);
    try {
        await client.connect(transport);
        return client;
    } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
        const back = new URL((await lines.next()).value).searchParams;
        await (sdk === 'v1' ? transport.finishAuth(back.get('code')) : transport.finishAuth(back));
        return await connect();
    }
}

const client = await connect();
const read = (uri) => client.readResource({ uri });
say({
    journey: {
        tools: (await client.listTools()).tools,
        called: await client.callTool({ name: 'admin.user_count', arguments: {} }),
        dashboard: await read('ui://admin/dashboard'),
        users: await read('app://admin/users'),
        prompt: await client.getPrompt({ name: 'admin.audit', arguments: { since: 'monday' } }),
        skill_index: await read('skill://index.json'),
        skill: await read('skill://admin/oncall/SKILL.md'),
    },
});

// The access token is lost, the server has been replaced meanwhile or not: the client must refresh and go on.
if ((await lines.next()).value === 'refresh') {
    person.kept.tokens = { ...person.kept.tokens, access_token: 'lost' };
    say({ called: await client.callTool({ name: 'admin.user_count', arguments: {} }) });
}
await client.close();
process.exit(0);
