import type { Jq } from 'jq-wasm/inline';
import type { JqOutput } from './protocol.ts';

let loading: Promise<Jq> | undefined;

/** What jq writes to standard error, as far as it is of interest. */
const maxError = 4096;

/** jq itself, as WebAssembly: it takes some 20 MiB. A filter sees neither files nor the environment. */
export async function loadJq(): Promise<(json: string, filter: string) => JqOutput> {
  loading ??= import('jq-wasm/inline').then((module) => module.loadJq());
  const jq = await loading;
  return (json, filter) => {
    const { stdout, stderr, exitCode } = jq.raw(json, filter, ['-c']);
    // A filter can print a text of any length. What selects fields prints no more than the object has, but for how numbers are written.
    const maxOutput = 2 * json.length + 1024;
    return { stdout: stdout.slice(0, maxOutput), stderr: stderr.slice(0, maxError), exitCode };
  };
}
