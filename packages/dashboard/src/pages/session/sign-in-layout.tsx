import type { ReactNode } from 'react';
import { usePageTitle } from '../../components/layout/page-header.tsx';

/** The layout of the pages before sign-in: a logo, a heading and a card. */
export function SignInLayout({
  title,
  description,
  children,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}) {
  usePageTitle(title);
  return (
    <main
      id="main"
      tabIndex={-1}
      className="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-4 py-10"
    >
      <div className="mb-6 flex items-center gap-2.5">
        <svg aria-hidden="true" viewBox="0 0 32 32" className="size-8">
          <rect width="32" height="32" rx="8" className="fill-accent-solid" />
          <path d="M8 11h16M16 11v12" stroke="#fff" strokeWidth="4" strokeLinecap="round" />
        </svg>
        <span className="text-lg font-semibold tracking-tight">Till</span>
      </div>
      <div className="rounded-lg border border-line bg-surface p-5 shadow-sm sm:p-7">
        <h1 className="text-xl font-semibold">{title}</h1>
        {description !== undefined && <div className="mt-1 text-text-2">{description}</div>}
        <div className="mt-5">{children}</div>
      </div>
    </main>
  );
}
