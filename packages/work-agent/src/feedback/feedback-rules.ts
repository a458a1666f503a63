import type { ManifestFeedbackRule, ManifestFeedbackValue } from '@flotilla/api-types';
import { compileJsonPath, type JsonPath, JsonPathError, PathBudget, typeName } from '@flotilla/rules/jsonpath';
import { ruleRunner } from '@flotilla/rules/runner';
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
  /** All rules have one budget: those after the one that uses it up report that. The event loop turns between paths that take long. */
  read(object: KubeObject): Promise<Feedback>;
}

/** A path, and what came of parsing it once it was used. */
interface Reader extends NamedPath {
  readonly version?: string;
  parsed?: JsonPath | JsonPathError;
}

/** What a path costs at least, in units of CEL: an error takes as long. */
const unitsPerPath = 50;
const unitsPerLetter = 2;
/** Values that paths visit for the time of one unit. */
const valuesPerUnit = 10;

/** Prepares the rules of a manifest once, for all changes of its object. */
export function compileFeedbackRules(rules: readonly ManifestFeedbackRule[], options: FeedbackOptions): FeedbackReader {
  const own = new Map(rules.map((rule) => [rule, (rule.jsonPaths ?? []).map(readerOf)]));
  const wellKnown = new Map<string, readonly Reader[] | undefined>();
  const wellKnownFor = (gvk: string): readonly Reader[] | undefined => {
    if (!wellKnown.has(gvk)) wellKnown.set(gvk, wellKnownPaths[gvk]?.map(readerOf));
    return wellKnown.get(gvk);
  };
  return {
    async read(object) {
      const values: ManifestFeedbackValue[] = [];
      const errors: string[] = [];
      const budget = new PathBudget();
      const collect = (reader: Reader): void => {
        try {
          const value = readValue(reader, object, budget, options);
          if (value) values.push(value);
        } catch (error) {
          if (!(error instanceof FeedbackError)) throw error;
          errors.push(error.message);
        }
      };
      const collectAll = async (readers: readonly Reader[]): Promise<void> => {
        for (const reader of readers) {
          await ruleRunner.whenFree(1);
          const { spent } = budget;
          const letters = reader.parsed ? 0 : reader.path.length;
          collect(reader);
          ruleRunner.spend(unitsPerPath + letters * unitsPerLetter + (budget.spent - spent) / valuesPerUnit);
        }
      };
      for (const rule of rules) {
        if (rule.type === 'WellKnownStatus') {
          const gvk = goKindOf(object);
          const readers = wellKnownFor(gvk);
          if (readers) await collectAll(readers);
          else errors.push(`cannot find the wellknown statuses for resource with gvk ${gvk}`);
        } else if (rule.type === 'JSONPaths') await collectAll(own.get(rule) ?? []);
      }
      return { values, errors };
    },
  };
}

const readerOf = ({ name, path, version }: NamedPath & { readonly version?: string }): Reader => ({
  name,
  path,
  ...(version && { version }),
});

/** A value that cannot be reported. */
class FeedbackError extends Error {}

function parse(path: string): JsonPath | JsonPathError {
  try {
    return compileJsonPath(path);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return error;
  }
}

function readValue(
  reader: Reader,
  object: KubeObject,
  budget: PathBudget,
  options: FeedbackOptions,
): ManifestFeedbackValue | undefined {
  const { name, path, version } = reader;
  if (version && version !== splitApiVersion(object.apiVersion).version) {
    throw new FeedbackError(`version set in the path ${name} is not matched for the related resource`);
  }
  reader.parsed ??= parse(path);
  if (reader.parsed instanceof JsonPathError) {
    throw new FeedbackError(`failed to parse json path ${path} of ${name} with error: ${reader.parsed.message}`);
  }
  try {
    // A template of several actions has no more to report than what the first of them finds.
    const found = reader.parsed.find(object, budget)[0] ?? [];
    const [first] = found;
    const value = found.length > 1 && options.rawJson ? found : first;
    if (value === undefined || value === null) return undefined;
    return { name, fieldValue: fieldValue(name, value, budget, options) };
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new FeedbackError(`failed to find value for ${name} with error: ${error.message}`);
  }
}

/** Letters that are reported for a visited value of the budget: a manifest reports no more than an object has room for. */
const lettersPerValue = 4;

function fieldValue(
  name: string,
  value: unknown,
  budget: PathBudget,
  { rawJson, maxJsonRawLength }: FeedbackOptions,
): ManifestFeedbackValue['fieldValue'] {
  if (typeof value === 'string') {
    budget.charge(value.length / lettersPerValue);
    return { type: 'String', string: value };
  }
  if (typeof value === 'boolean') return { type: 'Boolean', boolean: value };
  if (
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63)
  ) {
    // A bigint is written with all its digits; the type of the API does not know it.
    return { type: 'Integer', integer: value as number };
  }
  if (!rawJson) throw new FeedbackError(`the type ${typeName(value)} of the value for ${name} is not found`);
  const jsonRaw = goJson(value, maxJsonRawLength, budget);
  if (jsonRaw === undefined) {
    throw new FeedbackError(
      `the length of returned json raw string for name ${name} is larger than the maximum length ${maxJsonRawLength}`,
    );
  }
  budget.charge(jsonRaw.length / lettersPerValue);
  return { type: 'JsonRaw', jsonRaw };
}

/** As Go prints the kind of an object: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
function goKindOf(object: KubeObject): string {
  const { group, version } = splitApiVersion(object.apiVersion);
  return `${group}/${version}, Kind=${object.kind ?? ''}`;
}
