import type { Texts } from './texts.ts';

export const nl: Texts = {
  test_band: 'Testbetaling. Er wordt geen geld afgeschreven.',
  language: 'Taal',

  pay_shop: '{shop} betalen',
  complete_by: 'Rond de betaling af vóór {time}.',
  five_minutes: 'Nog 5 minuten om de betaling af te ronden.',
  one_minute: 'Nog 1 minuut om de betaling af te ronden.',
  error_title: 'Fout: {title}',
  summary_title: 'Controleer uw gegevens',
  nothing_taken: 'Er is geen geld afgeschreven.',

  number_label: 'Kaartnummer',
  number_empty: 'Vul een kaartnummer in',
  number_short: 'Het kaartnummer is te kort',
  number_wrong: 'Controleer het kaartnummer',
  expiry_label: 'Vervaldatum',
  expiry_hint: 'Maand en jaar, bijvoorbeeld 03/30',
  expiry_empty: 'Vul een vervaldatum in, bijvoorbeeld 03/30',
  expiry_past: 'Deze kaart is verlopen',
  cvc_label: 'Beveiligingscode',
  cvc_hint_3: '3 cijfers op de achterkant',
  cvc_hint_4: '4 cijfers op de voorkant',
  cvc_wrong_3: 'Vul de 3 cijfers op de achterkant in',
  cvc_wrong_4: 'Vul de 4 cijfers op de voorkant in',
  name_label: 'Naam op de kaart',
  name_wrong: 'Vul de naam in zoals die op de kaart staat',
  keeps_card: '{shop} bewaart deze kaart voor uw latere betalingen.',
  keeps_wallet: '{shop} bewaart uw {wallet}-rekening voor uw latere betalingen.',
  pay_amount: '{amount} betalen',
  cancel: 'Annuleren en terug naar {shop}',
  return_to_shop: 'Terug naar {shop}',
  another_card: 'Andere kaart gebruiken',
  refused: 'Deze kaart is geweigerd. Er is geen geld afgeschreven. Gebruik een andere kaart.',
  not_reached: 'We konden de bank niet bereiken. Er is geen geld afgeschreven. Probeer het opnieuw.',

  fields_unavailable:
    'Het kaartformulier kon niet worden geladen. Er is geen geld afgeschreven. Laad de pagina opnieuw om het nog eens te proberen.',
  fields_need_script:
    'Dit kaartformulier heeft JavaScript nodig. Er is geen geld afgeschreven. Schakel het in of ga terug naar {shop}.',
  fields_refused:
    'Deze kaart is niet geaccepteerd. Er is geen geld afgeschreven. Controleer de gegevens of gebruik een andere kaart.',

  wallet_lead:
    'U keurt de betaling goed bij {wallet} en komt hier terug. Daarvoor wordt geen geld afgeschreven.',
  wallet_continue: 'Doorgaan naar {wallet}',
  not_approved: 'U hebt deze betaling niet goedgekeurd. Er is geen geld afgeschreven.',
  try_again: 'Opnieuw proberen',

  bank_title: 'Uw bank controleert uw gegevens',
  bank_lead: 'Er is nog geen geld afgeschreven. Volg de stappen van uw bank.',
  bank_continue: 'Doorgaan naar uw bank',
  bank_frame: 'Controle door de bank',
  bank_elsewhere: 'De pagina van uw bank in het hele venster openen',

  processing: 'Wordt verwerkt. Betaal niet opnieuw.',
  processing_lead: 'We wachten op het antwoord op uw betaling. Deze pagina gaat vanzelf verder.',
  processing_slow:
    'Dit duurt langer dan normaal. Betaal niet opnieuw. U kunt deze pagina veilig sluiten: {shop} krijgt de uitkomst te horen.',
  outage_title: 'Er ging iets mis aan onze kant',
  outage: 'We weten nog niet of de betaling is gelukt: betaal niet opnieuw.',
  check_again: 'Opnieuw controleren',

  paid_title: 'Betaling voltooid',
  paid: 'Uw betaling is voltooid.',
  already_paid: 'Deze betaling is al voltooid. Er is niet dubbel afgeschreven.',
  held_title: 'Betaling geautoriseerd',
  held: 'Uw betaling is geautoriseerd. Het bedrag is gereserveerd en nog niet afgeschreven.',
  already_held:
    'Deze betaling is al geautoriseerd. Het bedrag is één keer gereserveerd en nog niet afgeschreven.',
  returning: 'Terug naar {shop}.',
  for_shop: '{shop} rondt de betaling af. Er is nog geen geld afgeschreven.',

  declined_title: 'Betaling geweigerd',
  declined: 'Uw bank heeft deze betaling geweigerd. Er is geen geld afgeschreven.',
  declined_wallet: '{wallet} heeft deze betaling geweigerd. Er is geen geld afgeschreven.',
  reason_expired_card: 'Volgens de bank is de kaart verlopen.',
  reason_insufficient_funds: 'Volgens de bank is er niet genoeg geld beschikbaar.',
  reason_invalid_cvv: 'Volgens de bank klopt de beveiligingscode niet.',
  reason_invalid_card: 'De bank kent dit kaartnummer niet.',
  reason_3ds_failed: 'De bank kon niet bevestigen dat u het bent.',
  reason_3ds_not_available: 'De bank was niet in staat te bevestigen dat u het bent.',
  unconfirmed_title: 'Betaling niet bevestigd',
  unconfirmed: 'U hebt de controle van uw bank niet afgerond. Er is geen geld afgeschreven.',
  expired_title: 'Betaallink verlopen',
  expired: 'Deze betaallink is verlopen. Er is geen geld afgeschreven.',
  voided_title: 'Betaling geannuleerd',
  voided: 'Deze betaling is geannuleerd. Er is geen geld afgeschreven.',
  not_possible_title: 'Betaling niet mogelijk',
  not_possible: '{shop} kan deze betaling op dit moment niet aannemen. Er is geen geld afgeschreven.',
  too_many:
    'Er zijn te veel kaarten geprobeerd. Er is geen geld afgeschreven. Vraag {shop} om een nieuwe link.',
  other_browser_title: 'Geopend in een andere browser',
  other_browser:
    'Deze betaling is begonnen in een andere browser. Deze pagina schrijft niets af. Ga daar verder of vraag {shop} om een nieuwe link.',
  not_found_title: 'Betaling niet gevonden',
  not_found: 'Deze betaallink is niet geldig. Er is geen geld afgeschreven.',

  fact_amount: 'Bedrag',
  fact_shop: 'Betaald aan',
  fact_reference: 'Kenmerk',
  fact_card: 'Kaart',
  fact_time: 'Datum',
  card_ending: '{brand} eindigend op {last4}',
  print: 'Afdrukken',
  go_on: 'Doorgaan',
};
