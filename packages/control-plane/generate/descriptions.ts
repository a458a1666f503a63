// Writes src/discovery/openapi/descriptions.json from a running API server: what Kubernetes says of its kinds and their fields, in the words of its
// published OpenAPI document (Apache-2.0). Of all kinds that the server has, so that a kind that is added later is described already.
//
//   kubectl proxy --port 8001 & node generate/descriptions.ts http://127.0.0.1:8001
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
}

const server = process.argv[2];
if (!server) throw new Error('Say where the API server is: node generate/descriptions.ts http://127.0.0.1:8001');

const response = await fetch(`${server}/openapi/v2`, { headers: { accept: 'application/json' } });
if (!response.ok) throw new Error(`GET /openapi/v2 answered ${response.status}: ${await response.text()}`);
const { definitions } = (await response.json()) as { definitions: Readonly<Record<string, Described>> };

/** By the name of the definition: its own sentences under the empty name, and those of its fields. */
const descriptions = Object.entries(definitions).map(([name, { description, properties = {} }]) => {
  const fields = Object.entries(properties).map(([field, schema]) => [field, schema.description] as const);
  const all = [['', description] as const, ...fields].filter(([, text]) => text);
  return [name, Object.fromEntries(all)] as const;
});
const text = JSON.stringify(Object.fromEntries(descriptions));
const packed = brotliCompressSync(text, {
  params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT, [constants.BROTLI_PARAM_LGWIN]: 24 },
}).toString('base64');

const file = new URL('../src/discovery/openapi/descriptions.json', import.meta.url);
writeFileSync(file, `${JSON.stringify({ brotli: packed }, null, 2)}\n`);
process.stdout.write(`${descriptions.length} definitions, ${text.length} characters, ${packed.length} packed\n`);
