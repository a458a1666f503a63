// All code that needs CEL, in one module that is loaded with the first rule.

import type { ManifestConditionRule } from '@flotilla/api-types';
import { CostBudget, type CostLimits, createCel } from '@flotilla/rules/cel';
import { ruleRunner } from '@flotilla/rules/runner';
import { type CompiledRule, compileCelRule } from './cel-rule.ts';

/** The limits of Kubernetes, which OCM takes over: for one expression, and for all rules of a manifest with their messages. */
const costLimits: CostLimits = { perExpression: 1_000_000, inAll: 10_000_000 };

/** What condition rules are compiled and evaluated with. */
export interface ConditionEngine {
  compile(rule: ManifestConditionRule): CompiledRule;
  /** For the rules of one manifest. */
  newBudget(): CostBudget;
}

/** Expressions are over `object`; messages know the `result`, too. */
export function createConditionEngine(limits: CostLimits = costLimits): ConditionEngine {
  const cel = (variables: Record<string, string>) => createCel({ variables, functions: 'conditions' });
  const rules = cel({ object: 'dyn' });
  const messages = cel({ object: 'dyn', result: 'bool' });
  return {
    compile: (rule) => compileCelRule(rule, { rules, messages, evaluate: (...what) => ruleRunner.evaluate(...what) }),
    newBudget: () => new CostBudget(limits),
  };
}
