import { envOf, type OptionDefinitions } from './definition.ts';
import { emptyReading, record, type SourceReading, shown } from './source.ts';

/** Process environment, as Node has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What Kubernetes puts into every container for each Service: a Service `flotilla` makes FLOTILLA_PORT=tcp://10.0.0.1:443,
 * which is not an option although it may have the name of one.
 */
const serviceLink = /^(tcp|udp|sctp):\/\//;

/** Reads the variables of the options; an empty one counts as absent. */
export function readEnvironment(definitions: OptionDefinitions, env: Environment, prefix: string): SourceReading {
  const reading = emptyReading();
  for (const [key, definition] of Object.entries(definitions)) {
    const name = envOf(key, definition, prefix);
    const text = env[name];
    if (text === undefined || text === '' || serviceLink.test(text)) continue;
    record(reading, key, { raw: text, written: `${name}=${shown(definition, text)}` });
  }
  return reading;
}
