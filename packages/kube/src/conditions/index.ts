/** Lists of conditions as values. To write those of an object, `applyConditions` of the root is what most programs want. */
export {
  type ConditionInput,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
  setConditions,
} from './conditions.ts';
