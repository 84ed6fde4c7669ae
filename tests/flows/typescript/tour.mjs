// The official TypeScript clients on a tour of everything that they know. Usage: node tour.mjs v2|v2-legacy|v1 URL PERSON
// PERSON is JSON: {filled, declined, capital, root, watched}. Prints one line of JSON, what came back, by what was tried.
const [sdk, url, person] = process.argv.slice(2);
const { filled, declined, capital, root, watched } = JSON.parse(person);

async function load() {
    if (sdk !== 'v1') return await import('@modelcontextprotocol/client');
    const [client, http, types] = await Promise.all([
        import('@modelcontextprotocol/sdk/client/index.js'),
        import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
        import('@modelcontextprotocol/sdk/types.js'),
    ]);
    return { ...client, ...http, ...types };
}

const library = await load();
const modern = sdk === 'v2';
const client = new library.Client(
    { name: 'tour', version: '1' },
    {
        capabilities: { elicitation: {}, sampling: {}, roots: {} },
        ...(modern ? { versionNegotiation: { mode: 'auto' } } : {}),
    },
);

/** The older package names what it handles by schema, the newer one by method. */
const SCHEMAS = {
    'elicitation/create': 'ElicitRequestSchema',
    'sampling/createMessage': 'CreateMessageRequestSchema',
    'roots/list': 'ListRootsRequestSchema',
    'notifications/message': 'LoggingMessageNotificationSchema',
    'notifications/tools/list_changed': 'ToolListChangedNotificationSchema',
    'notifications/resources/updated': 'ResourceUpdatedNotificationSchema',
};
const key = (method) => (sdk === 'v1' ? library[SCHEMAS[method]] : method);

client.setRequestHandler(key('elicitation/create'), async ({ params }) => {
    if (params.message === declined) return { action: 'decline' };
    const names = Object.keys(params.requestedSchema.properties);
    return { action: 'accept', content: Object.fromEntries(names.map((name) => [name, filled[name]])) };
});
client.setRequestHandler(key('sampling/createMessage'), async () => ({
    role: 'assistant',
    content: { type: 'text', text: capital },
    model: 'hers',
}));
client.setRequestHandler(key('roots/list'), async () => ({ roots: [{ uri: root }] }));

const logged = [];
const heard = new Set();
let complete;
const allHeard = new Promise((resolve) => (complete = resolve));
const hear = (what) => {
    heard.add(what);
    if (heard.size === 2) complete();
};
client.setNotificationHandler(key('notifications/message'), ({ params }) => void logged.push(params.data));
client.setNotificationHandler(key('notifications/tools/list_changed'), () => hear('tools'));
client.setNotificationHandler(key('notifications/resources/updated'), ({ params }) => hear(params.uri));

await client.connect(new library.StreamableHTTPClientTransport(new URL(url)));
await client.listTools(); // the client learns which arguments go into headers

async function call(name, args = {}, options) {
    const params = { name, arguments: args };
    const result = await (sdk === 'v1' ? client.callTool(params, undefined, options) : client.callTool(params, options));
    if (result.isError) throw new Error(JSON.stringify(result));
    return result.content[0].text;
}

const tour = {
    sampled: await call('test_input_required_result_sampling'),
    rooted: await call('test_input_required_result_list_roots'),
    elicited: await call('test_elicitation', { message: 'Who are you?' }),
    declined: await call('test_elicitation', { message: declined }),
    several: await call('test_input_required_result_multiple_inputs'),
    rounds: await call('test_input_required_result_multi_round'),
    header: await call('test_x_mcp_header', { region: 'Île-de-France' }),
};

tour.progress = [];
await call('test_tool_with_progress', {}, { onprogress: ({ progress }) => void tour.progress.push(progress) });
if (!modern) {
    await client.setLoggingLevel('debug');
    await call('test_tool_with_logging');
    tour.logged = logged;
}
const prompt = await client.getPrompt({ name: 'test_input_required_result_prompt' });
tour.prompted = prompt.messages[0].content.text;
const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
tour.completed = (await client.complete({ ref, argument: { name: 'arg1', value: 'p' } })).completion.values;

const subscription = modern
    ? await client.listen({ toolsListChanged: true, resourceSubscriptions: [watched] })
    : await client.subscribeResource({ uri: watched });
await call('test_trigger_tool_change');
await call('test_touch_watched_resource');
await Promise.race([allHeard, new Promise((resolve) => setTimeout(resolve, 10_000))]);
tour.heard = [...heard];
if (modern) await subscription.close();

console.log(JSON.stringify(tour));
await client.close();
process.exit(0);
