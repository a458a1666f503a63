import { type Cel, type CelProgram, type CelSource, createCel } from '../cel/cel.ts';
import { CelCostError, CostMeter } from '../cel/cost.ts';
import { conditionFunctions, placementFunctions, type Scores } from '../cel/libraries/ocm.ts';
import { celValue } from '../cel/values.ts';
import type { RuleAnswer, RuleTask } from './protocol.ts';

/** What is kept of languages and programs. */
const maxKept = 100;
const languages = new Map<string, Cel>();
const programs = new Map<string, CelProgram>();

/** Thrown by a function that asks for scores which the task does not bring. */
class ScoresNeeded extends Error {
  readonly cluster: string;
  readonly resource: string;

  constructor(cluster: string, resource: string) {
    super('scores are needed');
    this.cluster = cluster;
    this.resource = resource;
  }
}

let scores: ReadonlyMap<string, unknown> = new Map();
/** Errors of functions can be passed over by an expression, so that what is needed is kept here. */
let needed: ScoresNeeded | undefined;

const functions = {
  conditions: conditionFunctions,
  placement: placementFunctions((cluster, resource) => {
    const key = JSON.stringify([cluster, resource]);
    if (scores.has(key)) return scores.get(key) as Scores | undefined;
    needed ??= new ScoresNeeded(cluster, resource);
    throw needed;
  }),
};

/** Evaluates an expression in the thread that may be ended. */
export function evaluateSource(task: Extract<RuleTask, { language: 'cel' }>): RuleAnswer {
  const meter = new CostMeter(task.limit);
  scores = task.scores;
  needed = undefined;
  try {
    const program = programOf(task.source);
    const { isTyped } = task.source;
    const entries = Object.entries(task.variables).map(
      ([name, value]) => [name, isTyped ? value : celValue(value)] as const,
    );
    const value = program.evaluate(Object.fromEntries(entries), meter);
    return needed ? needs() : { type: 'value', value: essence(value), spent: meter.spent };
  } catch (error) {
    if (needed) return needs();
    if (error instanceof CelCostError) return { type: 'cost', spent: meter.spent };
    const message = error instanceof Error ? error.message : String(error);
    return { type: 'failed', message, spent: meter.spent };
  }
}

const needs = (): RuleAnswer => ({
  type: 'needs',
  cluster: needed?.cluster ?? '',
  resource: needed?.resource ?? '',
});

function programOf(source: CelSource): CelProgram {
  const key = JSON.stringify(source);
  const known = programs.get(key);
  if (known) return known;
  const { expression, ...language } = source;
  const made = languageOf(language).compile(expression);
  if (programs.size >= maxKept) programs.clear();
  programs.set(key, made);
  return made;
}

function languageOf({ variables, functions: name, lateChecks = false }: Omit<CelSource, 'expression'>): Cel {
  const key = JSON.stringify([variables, name, lateChecks]);
  const known = languages.get(key);
  if (known) return known;
  const made = createCel({ variables, lateChecks, ...(name && { register: functions[name] }) });
  if (languages.size >= maxKept) languages.clear();
  languages.set(key, made);
  return made;
}

/** The longest text that is handed back: as long as the message of a condition. */
const maxText = 32_768;

/** A result is a truth or a message: of anything else, only the type is of interest. */
function essence(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, maxText);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return [];
  return value instanceof Uint8Array ? new Uint8Array() : {};
}
