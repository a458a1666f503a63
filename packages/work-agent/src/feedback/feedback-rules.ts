import type { ManifestFeedbackRule, ManifestFeedbackValue } from '@flotilla/api-types';
import { compileJsonPath, type JsonPath, JsonPathError, PathBudget, typeName } from '@flotilla/rules/jsonpath';
import type { KubeObject } from '@flotilla/schema';
import { type ReportLimits, startOf, wholeWork } from '../config/report-limits.ts';
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
  /** All rules share one budget: when a rule uses it up, later rules report that. Values above the limits are not reported. */
  read(object: KubeObject, budget?: PathBudget, limits?: Pick<ReportLimits, 'reports'>): Feedback;
}

/** A path that is parsed when it is first read. */
interface Reader extends NamedPath {
  readonly version?: string;
  /** Throws `JsonPathError`. */
  parse(): JsonPath;
}

/** Values that could be visited in the time that reading a path takes, and in that of parsing one of its letters. */
const costOfPath = { each: 16, letter: 4 };

/** Parses the rules of a manifest once, for all changes of its object. */
export function compileFeedbackRules(rules: readonly ManifestFeedbackRule[], options: FeedbackOptions): FeedbackReader {
  const own = new Map(rules.map((rule) => [rule, (rule.jsonPaths ?? []).map(compile)]));
  const wellKnown = new Map<string, readonly Reader[] | undefined>();
  const wellKnownFor = (gvk: string): readonly Reader[] | undefined => {
    if (!wellKnown.has(gvk)) wellKnown.set(gvk, wellKnownPaths[gvk]?.map(compile));
    return wellKnown.get(gvk);
  };
  function* readersFor(object: KubeObject): Generator<Reader | FeedbackError> {
    for (const rule of rules) {
      if (rule.type === 'WellKnownStatus') {
        const gvk = goKindOf(object);
        yield* wellKnownFor(gvk) ?? [
          new FeedbackError(`cannot find the wellknown statuses for resource with gvk ${gvk}`),
        ];
      } else if (rule.type === 'JSONPaths') yield* own.get(rule) ?? [];
    }
  }
  return {
    read(object, budget = new PathBudget(), { reports } = wholeWork) {
      const values: ManifestFeedbackValue[] = [];
      const errors = new ErrorList();
      for (const reader of readersFor(object)) {
        if (values.length + errors.count >= reports) {
          errors.add(
            `only the first ${reports} values of a manifest of this work are reported: remove paths, or split the work`,
          );
          break;
        }
        try {
          if (reader instanceof FeedbackError) throw reader;
          const value = readValue(reader, object, budget, options);
          if (value) values.push(value);
        } catch (error) {
          if (!(error instanceof FeedbackError)) throw error;
          errors.add(error.message);
          // All others fail for the same reason, and there is no room to say so.
          if (errors.isFull && budget.spent > budget.limit) break;
        }
      }
      return { values, errors: errors.texts };
    },
  };
}

/** A value that cannot be reported. */
class FeedbackError extends Error {}

/** Errors of one object. */
class ErrorList {
  readonly texts: string[] = [];
  count = 0;
  #left = maxErrorLetters;

  get isFull(): boolean {
    return this.#left <= 0;
  }

  add(text: string): void {
    this.count += 1;
    if (this.isFull) return;
    this.texts.push(startOf(text, this.#left));
    this.#left -= text.length;
  }
}

/** Letters of the errors that are kept: more than the condition that reports them has room for. */
const maxErrorLetters = 8192;

function compile(named: NamedPath & { version?: string }): Reader {
  let parsed: JsonPath | JsonPathError | undefined;
  return {
    ...named,
    parse() {
      parsed ??= parsedPath(named.path);
      if (parsed instanceof JsonPathError) throw parsed;
      return parsed;
    },
  };
}

function parsedPath(path: string): JsonPath | JsonPathError {
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
  const { name, version } = reader;
  if (version && version !== splitApiVersion(object.apiVersion).version) {
    throw new FeedbackError(`version set in the path ${name} is not matched for the related resource`);
  }
  const found = findIn(reader, object, budget);
  const [first] = found;
  const value = found.length > 1 && options.rawJson ? found : first;
  return value === undefined || value === null ? undefined : { name, fieldValue: fieldValue(name, value, options) };
}

/** What the first action of the path finds; a template of several actions has no more than that to report. */
function findIn(reader: Reader, object: KubeObject, budget: PathBudget): unknown[] {
  const { name } = reader;
  try {
    // Each time, also if it is parsed: which paths are read must not depend on what was read before.
    budget.charge(costOfPath.each + reader.path.length * costOfPath.letter);
    return parsed(reader).find(object, budget)[0] ?? [];
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new FeedbackError(`failed to find value for ${name} with error: ${error.message}`);
  }
}

function parsed({ name, path, parse }: Reader): JsonPath {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new FeedbackError(`failed to parse json path ${path} of ${name} with error: ${error.message}`);
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
