import type { ManifestFeedbackRule, ManifestFeedbackValue } from '@flotilla/api-types';
import { compileJsonPath, type JsonPath, JsonPathError, PathBudget, typeName } from '@flotilla/rules/jsonpath';
import type { KubeObject } from '@flotilla/schema';
import { splitApiVersion } from '../manifest.ts';
import { goJson } from './go-json.ts';
import { type NamedPath, wellKnownPaths } from './well-known.ts';

/** How values are reported. */
export interface FeedbackOptions {
  /** The gate `RawFeedbackJsonString`: a value that is not an integer, text or boolean is reported as JSON. */
  readonly rawJson: boolean;
  /** The longest JSON that is reported, in bytes. */
  readonly maxJsonRawLength: number;
}

/** What was read from an object. One path that fails does not keep the others from being reported. */
export interface Feedback {
  readonly values: ManifestFeedbackValue[];
  readonly errors: string[];
}

/** The feedback rules of a manifest, ready to be applied to its object. */
export interface FeedbackReader {
  /** All rules have one budget: those after the one that uses it up report that. */
  read(object: KubeObject, budget?: PathBudget): Feedback;
}

/** A path that is parsed, or the reason why it cannot be. */
interface Reader extends NamedPath {
  readonly version?: string;
  readonly parsed: JsonPath | JsonPathError;
}

/** Parses the rules of a manifest once, for all changes of its object. */
export function compileFeedbackRules(rules: readonly ManifestFeedbackRule[], options: FeedbackOptions): FeedbackReader {
  const own = new Map(rules.map((rule) => [rule, (rule.jsonPaths ?? []).map(compile)]));
  const wellKnown = new Map<string, readonly Reader[] | undefined>();
  const wellKnownFor = (gvk: string): readonly Reader[] | undefined => {
    if (!wellKnown.has(gvk)) wellKnown.set(gvk, wellKnownPaths[gvk]?.map(compile));
    return wellKnown.get(gvk);
  };
  return {
    read(object, budget = new PathBudget()) {
      const values: ManifestFeedbackValue[] = [];
      const errors: string[] = [];
      const collect = (reader: Reader): void => {
        try {
          const value = readValue(reader, object, budget, options);
          if (value) values.push(value);
        } catch (error) {
          if (!(error instanceof FeedbackError)) throw error;
          errors.push(error.message);
        }
      };
      for (const rule of rules) {
        if (rule.type === 'WellKnownStatus') {
          const gvk = goKindOf(object);
          const readers = wellKnownFor(gvk);
          if (readers) readers.forEach(collect);
          else errors.push(`cannot find the wellknown statuses for resource with gvk ${gvk}`);
        } else if (rule.type === 'JSONPaths') own.get(rule)?.forEach(collect);
      }
      return { values, errors };
    },
  };
}

/** A value that cannot be reported. */
class FeedbackError extends Error {}

function compile(named: NamedPath & { version?: string }): Reader {
  try {
    return { ...named, parsed: compileJsonPath(named.path) };
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return { ...named, parsed: error };
  }
}

function readValue(
  { name, path, version, parsed }: Reader,
  object: KubeObject,
  budget: PathBudget,
  options: FeedbackOptions,
): ManifestFeedbackValue | undefined {
  if (version && version !== splitApiVersion(object.apiVersion).version) {
    throw new FeedbackError(`version set in the path ${name} is not matched for the related resource`);
  }
  if (parsed instanceof JsonPathError) {
    throw new FeedbackError(`failed to parse json path ${path} of ${name} with error: ${parsed.message}`);
  }
  const found = findIn(parsed, name, object, budget);
  const [first] = found;
  const value = found.length > 1 && options.rawJson ? found : first;
  return value === undefined || value === null ? undefined : { name, fieldValue: fieldValue(name, value, options) };
}

/** What the first action of the path finds; a template of several actions has no more than that to report. */
function findIn(path: JsonPath, name: string, object: KubeObject, budget: PathBudget): unknown[] {
  try {
    return path.find(object, budget)[0] ?? [];
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new FeedbackError(`failed to find value for ${name} with error: ${error.message}`);
  }
}

function fieldValue(name: string, value: unknown, options: FeedbackOptions): ManifestFeedbackValue['fieldValue'] {
  if (typeof value === 'string') return { type: 'String', string: value };
  if (typeof value === 'boolean') return { type: 'Boolean', boolean: value };
  if (
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63)
  ) {
    // A bigint is written with all its digits; the type of the API does not know it.
    return { type: 'Integer', integer: value as number };
  }
  if (!options.rawJson) throw new FeedbackError(`the type ${typeName(value)} of the value for ${name} is not found`);
  const jsonRaw = goJson(value);
  if (Buffer.byteLength(jsonRaw) > options.maxJsonRawLength) {
    throw new FeedbackError(
      `the length of returned json raw string for name ${name} is larger than the maximum length ${options.maxJsonRawLength}`,
    );
  }
  return { type: 'JsonRaw', jsonRaw };
}

/** As Go prints the kind of an object: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
function goKindOf(object: KubeObject): string {
  const { group, version } = splitApiVersion(object.apiVersion);
  return `${group}/${version}, Kind=${object.kind ?? ''}`;
}
