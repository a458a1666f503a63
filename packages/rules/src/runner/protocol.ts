import type { CelSource } from '../cel/cel.ts';

/** What the worker is asked to do. */
export type RuleTask =
  | {
      readonly language: 'cel';
      readonly source: CelSource;
      /** JSON, by the names of variables. */
      readonly variables: Readonly<Record<string, unknown>>;
      readonly limit: number;
      /** Scores that the expression asked for when it was tried before, by cluster and resource as a JSON list. */
      readonly scores: ReadonlyMap<string, unknown>;
    }
  | { readonly language: 'jq'; readonly json: string; readonly filter: string };

/** The output of jq. */
export interface JqOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** What became of a task, after a `started` when its language is loaded. `spent` is in units of CEL. */
export type RuleAnswer =
  | { readonly type: 'started' }
  | { readonly type: 'value'; readonly value: unknown; readonly spent: number }
  | { readonly type: 'cost'; readonly spent: number }
  | { readonly type: 'failed'; readonly message: string; readonly spent: number }
  | { readonly type: 'needs'; readonly cluster: string; readonly resource: string }
  | { readonly type: 'jq'; readonly output: JqOutput };

/** Marks the threads that are started for rules: the module of the worker does nothing anywhere else. */
export const workerMark = '@flotilla/rules worker';
