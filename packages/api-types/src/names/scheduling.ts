import { composed } from './composed.ts';
import { constantsOf, type NameTable } from './name-table.ts';

export const schedulingPluginTable = {
  Predicate: { value: 'Predicate', on: ['Placement'], meaning: 'Filter: labels, claims and CEL.' },
  TaintToleration: { value: 'TaintToleration', on: ['Placement'], meaning: 'Filter: taints.' },
  Balance: { value: 'Balance', on: ['Placement'], meaning: 'Prioritizer: clusters with fewer decisions first.' },
  Steady: { value: 'Steady', on: ['Placement'], meaning: 'Prioritizer: clusters that are selected already first.' },
  ResourceAllocatableCpu: {
    value: 'ResourceAllocatableCPU',
    on: ['Placement'],
    meaning: 'Prioritizer: clusters with more CPU first.',
  },
  ResourceAllocatableMemory: {
    value: 'ResourceAllocatableMemory',
    on: ['Placement'],
    meaning: 'Prioritizer: clusters with more memory first.',
  },
  AddOn: composed(
    'AddOn/{resourceName}/{scoreName}',
    ['Placement', 'AddOnPlacementScore'],
    'Prioritizer: by a score that an add-on keeps.',
  ),
} as const satisfies NameTable;

/** Filters and prioritizers of placement; their names stand in specs, messages and metrics. */
export const SchedulingPlugin = /* @__PURE__ */ constantsOf(schedulingPluginTable);
