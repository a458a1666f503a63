// All code that needs CEL, in one module that is loaded with the first rule.

import type { ManifestConditionRule } from '@flotilla/api-types';
import { CostBudget, type CostLimits, celValue, createCel } from '@flotilla/schema/cel';
import { type CompiledRule, compileCelRule } from './cel-rule.ts';
import { createRegexEngine } from './regex.ts';

/** The limits of Kubernetes, which OCM takes over: for one expression, and for all rules of a manifest with their messages. */
const costLimits: CostLimits = { perExpression: 1_000_000, inAll: 10_000_000 };

/** What condition rules are compiled and evaluated with. */
export interface ConditionEngine {
  compile(rule: ManifestConditionRule): CompiledRule;
  /** An object in the types of CEL. */
  valueOf(object: unknown): unknown;
  /** For the rules of one manifest. */
  newBudget(): CostBudget;
}

/** Expressions are over `object`; messages know the `result`, too. */
export function createConditionEngine(limits: CostLimits = costLimits): ConditionEngine {
  const regex = createRegexEngine();
  const cel = (variables: Record<string, string>) =>
    createCel({
      variables,
      regex,
      register: (environment) => environment.registerFunction('hasConditions(dyn): bool', hasConditions),
    });
  const rules = cel({ object: 'dyn' });
  const messages = cel({ object: 'dyn', result: 'bool' });
  return {
    compile: (rule) => compileCelRule(rule, { rules, messages }),
    valueOf: celValue,
    newBudget: () => new CostBudget(limits),
  };
}

/** Whether a value is a map with a list of conditions that is not empty. */
function hasConditions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('conditions' in value)) return false;
  return Array.isArray(value.conditions) && value.conditions.length > 0;
}
