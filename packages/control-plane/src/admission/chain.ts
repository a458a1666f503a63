import type { AdmissionChain, AdmissionPlugin, MutationRound } from '../contracts/admission.ts';

/** Plugins in order: all that mutate, a second time if one asks for it, and later all that validate. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain {
  return {
    async mutate(request, warn) {
      const reinvocable = new Set<string>();
      const due = new Set<string>();
      let current = request;
      let wanted = false;
      for (const again of [false, true]) {
        const requireAgain = () => {
          wanted = true;
        };
        const round: MutationRound = { again, reinvocable, due, requireAgain };
        for (const plugin of plugins) {
          if (!plugin.mutate || !plugin.handles(current)) continue;
          const object = await plugin.mutate(current, warn, round);
          if (object && object !== current.object) current = { ...current, object };
        }
        if (!wanted) break;
      }
      return current.object;
    },
    async validate(request, warn) {
      for (const plugin of plugins) {
        if (plugin.validate && plugin.handles(request)) await plugin.validate(request, warn);
      }
    },
    recheck(request) {
      for (const plugin of plugins) {
        if (plugin.recheck && plugin.handles(request)) plugin.recheck(request);
      }
    },
  };
}
