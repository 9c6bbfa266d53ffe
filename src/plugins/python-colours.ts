/** Colours Python code like JupyterLab's theme does, in the columns that show source code. */
import { jupyterHighlightStyle } from '@jupyterlab/codemirror';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

export async function pythonColours(
  languages: IEditorLanguageRegistry | null
): Promise<Extension> {
  const language = await languages?.getLanguage('text/x-ipython');
  return language?.support
    ? [language.support.extension, syntaxHighlighting(jupyterHighlightStyle)]
    : [];
}
