import { workspacePackages } from '../workspace.ts';
import { type FolderCycle, folderCycles } from './folder-cycles.ts';
import { sourceFiles } from './source-files.ts';

/** The folders of one package that import one another. */
export const checkFolders = (root: string): FolderCycle[] =>
  workspacePackages(root).flatMap(({ directory }) => folderCycles(sourceFiles(root, directory)));
