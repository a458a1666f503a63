import type { VerbHandler } from '../../contracts/handlers.ts';
import { bindingVerbs } from './binding.ts';
import { evictionVerbs } from './eviction.ts';
import { sameKindVerbs } from './same-kind.ts';
import { scaleVerbs } from './scale.ts';

export { logVerbs } from './log.ts';

/** The subresources that are more than a part of their object; asked before the generic verbs. */
export const subresourceVerbs: readonly VerbHandler[] = [sameKindVerbs, scaleVerbs, evictionVerbs, bindingVerbs];
