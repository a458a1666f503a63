import type { EmbeddedResource } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import { describe } from './manifest.ts';

/** Values of the variables of a template by name. */
export type TemplateVariables = Readonly<Record<string, string>>;

const open = '{{';
const close = '}}';

/**
 * A manifest with its variables filled in: each `{{NAME}}` in a text or in a key, without spaces. A variable that does not exist is empty,
 * as in OCM; `onUnknown` gets its name. OCM fills in the JSON of a manifest; here it is done text by text, so that a quote in a value stays a quote.
 */
export function substitute(
  manifest: EmbeddedResource,
  variables: TemplateVariables,
  onUnknown: (name: string) => void = () => {},
): EmbeddedResource {
  const fill = (text: string, path: string): string => {
    let result = '';
    let rest = text;
    for (let at = rest.indexOf(open); at !== -1; at = rest.indexOf(open)) {
      const end = rest.indexOf(close, at + open.length);
      if (end === -1) {
        const where = path ? `${describe(manifest)}: ${path}` : describe(manifest);
        throw new TypeError(`${where} is ${JSON.stringify(text)}; "${open}" needs a "${close}" after it`);
      }
      const name = rest.slice(at + open.length, end);
      const isKnown = Object.hasOwn(variables, name);
      if (!isKnown) onUnknown(name);
      result += rest.slice(0, at) + (isKnown ? (variables[name] ?? '') : '');
      rest = rest.slice(end + close.length);
    }
    return result + rest;
  };
  const visit = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return fill(value, path);
    if (Array.isArray(value)) return value.map((item: unknown, index) => visit(item, `${path}[${index}]`));
    return isRecord(value) ? visitRecord(value, path) : value;
  };
  const visitRecord = (record: Readonly<Record<string, unknown>>, path: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => {
        const below = path ? `${path}.${key}` : key;
        return [fill(key, below), visit(value, below)];
      }),
    );
  const { apiVersion, kind, ...rest } = manifest;
  return { ...visitRecord(rest, ''), apiVersion: fill(apiVersion, 'apiVersion'), kind: fill(kind, 'kind') };
}
