export { aggregatedRules } from './aggregation.ts';
export { createRbac } from './create-rbac.ts';
