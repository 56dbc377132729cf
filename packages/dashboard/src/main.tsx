import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connectShell, prefetch } from './api/calls.ts';
import { toast, toastError } from './components/feedback/toasts.tsx';
import { applyPreferences } from './lib/browser/preferences.ts';
import { restoreTyped } from './lib/browser/typed.ts';
import { preloadPages, takeReload } from './navigation/lazy-page.tsx';
import { base, withQuery } from './navigation/paths.ts';
import { router } from './routes.tsx';
import { askToConfirm } from './shell/confirm-identity.tsx';
import { queries } from './shell/providers.tsx';
import './styles.css';

const isPublic = /^\/(login|setup|invite)\b/;

/** Redirects to the sign-in page, which returns to the present page afterwards. */
function goToSignIn(): void {
  const { pathname, searchStr } = router.state.location;
  if (isPublic.test(pathname)) return;
  queries.clear();
  const place = pathname + searchStr;
  router.history.replace(base + withQuery('/login', { return_to: place === '/' ? undefined : place }));
}

/** Loads the typeface from this server. The system font is the fallback, also for other scripts. */
function loadFont(): void {
  const face = new FontFace('Inter', `url(${inter}) format('woff2')`, { weight: '100 900', display: 'swap' });
  document.fonts.add(face);
  // On failure the fallback font is readable.
  face.load().catch(() => document.fonts.delete(face));
}

/** Prefetches the data of the first page while its chunk is still loading. */
function prefetchFirst(): void {
  const path = location.pathname.slice(base.length);
  if (isPublic.test(path)) return;
  prefetch(queries, 'retrieveSession');
  const [, account = '', page = ''] = path.split('/');
  if (account === '') return;
  if (page === '') prefetch(queries, 'retrieveHome', { account });
  prefetch(queries, 'retrieveWorkspace', { account });
}

connectShell({ signedOut: goToSignIn, confirm: askToConfirm, failed: toastError });
applyPreferences(document.documentElement);
prefetchFirst();
loadFont();

restoreTyped();
if (takeReload()) toast('The dashboard was loaded anew. What you typed before is kept.');

const place = document.getElementById('root');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  );
  // Not before the first page has loaded, which has priority.
  const stop = router.subscribe('onResolved', () => {
    stop();
    preloadPages();
  });
}
