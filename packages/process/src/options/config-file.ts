import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { type OptionDefinitions, optionByFlag } from './definition.ts';
import { didYouMean, type RawValue } from './read-value.ts';
import { emptyReading, record, type SourceReading, shown } from './source.ts';

/** Reads a YAML file whose keys are the names of flags, without the dashes. Errors name the file and line. */
export function readConfigFile(definitions: OptionDefinitions, path: string, text: string): SourceReading {
  const reading = emptyReading();
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const at = (offset: number | undefined) => `${path}:${lineCounter.linePos(offset ?? 0).line}`;
  for (const error of document.errors) reading.errors.push(`${at(error.pos[0])} is not valid YAML: ${error.message}`);
  if (reading.errors.length > 0 || document.contents === null) return reading;
  if (!isMap(document.contents)) {
    reading.errors.push(`${path} is not a map; write one flag name and its value a line, for example kube-api-qps: 50`);
    return reading;
  }
  const options = optionByFlag(definitions);
  for (const pair of document.contents.items as Pair<Node, Node | null>[]) {
    const name = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const place = at(pair.key.range?.[0]);
    const option = options.get(name);
    if (!option) {
      reading.errors.push(`${place} ${name} is not a known option${didYouMean(name, options.keys())}`);
      continue;
    }
    const raw = rawValue(pair.value);
    if (raw === undefined) reading.errors.push(`${place} ${name} is neither a value nor a list or map of values`);
    else record(reading, option.key, { raw, written: `${place} ${name}: ${shown(option.definition, display(raw))}` });
  }
  return reading;
}

function rawValue(node: Node | null): RawValue | undefined {
  if (isSeq(node)) {
    const items = node.items.map(scalarText);
    return items.every((item) => item !== undefined) ? { items } : undefined;
  }
  if (isMap(node)) {
    const entries = node.items.map((pair) => [scalarText(pair.key), scalarText(pair.value)] as const);
    return entries.every((entry): entry is readonly [string, string] => entry.every((text) => text !== undefined))
      ? { entries }
      : undefined;
  }
  return scalarText(node);
}

/** The text as written, so that `1.10` stays 1.10; `1e3` and the like are parsed by the option's type. */
function scalarText(node: unknown): string | undefined {
  if (!isScalar(node) || isAlias(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}

function display(raw: RawValue): string {
  if (typeof raw === 'string') return raw;
  return 'items' in raw ? `[${raw.items.join(', ')}]` : `{${raw.entries.map((entry) => entry.join(': ')).join(', ')}}`;
}
