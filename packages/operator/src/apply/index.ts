/** What the operators of ClusterManagers and of Klusterlets share: how rendered objects are applied, kept and removed. */
export { ApplyError } from './apply-error.ts';

export { keepDefinitions, releaseDefinitions, removeDefinitions } from './keep-definitions.ts';
export { joinKept, type KeptObjects } from './kept-objects.ts';
export { createObjectKeeper, type KeptOwner, type ObjectKeeper } from './object-keeper.ts';
export { type OperatorReport, writeReport } from './operator-status.ts';
export { ownDefinitionController } from './own-definition.controller.ts';
