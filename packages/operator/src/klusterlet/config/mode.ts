import { type Klusterlet, NamespaceName } from '@flotilla/api-types';

/** Where agents run and in how many processes. */
export type KlusterletMode = 'Default' | 'Singleton' | 'Hosted' | 'SingletonHosted';

const modes: readonly KlusterletMode[] = ['Default', 'Singleton', 'Hosted', 'SingletonHosted'];

/** The mode of a Klusterlet; undefined for a text that is not one. Empty means Default, as in OCM. */
export const modeOf = ({ spec }: Klusterlet): KlusterletMode | undefined => {
  const given = spec?.deployOption?.mode || 'Default';
  return modes.find((mode) => mode === given);
};

/** Whether the agents run on another cluster than the one that they manage. */
export const isHosted = (mode: KlusterletMode): boolean => mode === 'Hosted' || mode === 'SingletonHosted';

/** Whether registration and works are one process. */
export const isSingleton = (mode: KlusterletMode): boolean => mode === 'Singleton' || mode === 'SingletonHosted';

/** The namespace of a klusterlet on its managed cluster. */
export const klusterletNamespace = ({ spec }: Klusterlet): string => spec?.namespace || NamespaceName.Agent;

/** The namespace in which the agents run: on the managed cluster or, hosted, on the management cluster. */
export const agentNamespace = (klusterlet: Klusterlet): string =>
  isHosted(modeOf(klusterlet) ?? 'Default') ? (klusterlet.metadata?.name ?? '') : klusterletNamespace(klusterlet);
