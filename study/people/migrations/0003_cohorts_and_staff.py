import django.db.models.deletion
import django.utils.timezone
import study.accounts.encrypted
from study.accounts import encrypted
from django.conf import settings
from django.db import migrations, models


def seal_addresses(apps, schema_editor):
    """Addresses that stand in the clear are encrypted, with the hash that finds them again. Nothing is lost."""
    Contact = apps.get_model('people', 'Contact')
    for contact in Contact.objects.exclude(email='').iterator():
        Contact.objects.filter(pk=contact.pk).update(
            email=encrypted.sealed(contact.email), email_hash=encrypted.address_hash(contact.email)
        )
    Invitation = apps.get_model('people', 'Invitation')
    for invitation in Invitation.objects.iterator():
        Invitation.objects.filter(pk=invitation.pk).update(email_hash=encrypted.address_hash(invitation.email))


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_cohorts_and_staff'),
        ('people', '0002_arms_pilot_language'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RenameField(
            model_name='contact',
            old_name='panel_id_hash',
            new_name='panel_hash',
        ),
        migrations.AddField(
            model_name='cohort',
            name='held_by',
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AddField(
            model_name='cohort',
            name='hold_hours',
            field=models.PositiveSmallIntegerField(default=24),
        ),
        migrations.AddField(
            model_name='cohort',
            name='moderated',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='cohort',
            name='most_started',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='cohort',
            name='opens_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='cohort',
            name='panel',
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name='cohort',
            name='quota_axes',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='cohort',
            name='zone',
            field=models.CharField(default='UTC', max_length=60),
        ),
        migrations.AddField(
            model_name='consent',
            name='language',
            field=models.CharField(blank=True, max_length=12),
        ),
        migrations.AddField(
            model_name='consent',
            name='version',
            field=models.CharField(blank=True, max_length=20),
        ),
        migrations.AddField(
            model_name='contact',
            name='bounced_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='contact',
            name='email_hash',
            field=models.CharField(blank=True, db_index=True, max_length=64),
        ),
        migrations.AddField(
            model_name='contact',
            name='name',
            field=study.accounts.encrypted.EncryptedText(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='contact',
            name='notes',
            field=study.accounts.encrypted.EncryptedText(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='contact',
            name='panel_id',
            field=study.accounts.encrypted.EncryptedText(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='contact',
            name='phone',
            field=study.accounts.encrypted.EncryptedText(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='contact',
            name='unsubscribed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='invitation',
            name='email_hash',
            field=models.CharField(default='', max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='letter',
            name='detail',
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name='letter',
            name='message_id',
            field=models.CharField(blank=True, db_index=True, max_length=200),
        ),
        migrations.AddField(
            model_name='participant',
            name='analysed',
            field=models.BooleanField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='participant',
            name='cell',
            field=models.CharField(blank=True, max_length=80),
        ),
        migrations.AddField(
            model_name='participant',
            name='eligible_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='participant',
            name='erased_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='participant',
            name='excluded_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='participant',
            name='exclusion',
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AddField(
            model_name='participant',
            name='moved_from',
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AddField(
            model_name='participant',
            name='zone',
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.CreateModel(
            name='ConsentChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('option', models.CharField(max_length=40)),
                ('given', models.BooleanField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('consent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='choices', to='people.consent')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consent_choices', to='people.participant')),
            ],
        ),
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file_name', models.CharField(max_length=120)),
                ('content', study.accounts.encrypted.EncryptedText(blank=True, default='')),
                ('state', models.CharField(default='reading', max_length=10)),
                ('problem', models.CharField(blank=True, max_length=400)),
                ('rows', study.accounts.encrypted.EncryptedJSON(blank=True, null=True)),
                ('good', models.PositiveIntegerField(default=0)),
                ('bad', models.PositiveIntegerField(default=0)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('cohort', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='people.cohort')),
                ('job', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.job')),
            ],
        ),
        migrations.CreateModel(
            name='LetterTemplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=24)),
                ('language', models.CharField(max_length=12)),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('changed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='letter_templates', to='accounts.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'kind', 'language'), name='letter_template_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelArrival',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('parameters', study.accounts.encrypted.EncryptedJSON(blank=True, null=True)),
                ('panel_hash', models.CharField(blank=True, max_length=64)),
                ('flag', models.CharField(blank=True, max_length=12)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('cohort', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='arrivals', to='people.cohort')),
                ('participant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='arrivals', to='people.participant')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['panel_hash'], name='people_pane_panel_h_7640c5_idx'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file_name', models.CharField(max_length=120)),
                ('sha256', models.CharField(max_length=64)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('cohort', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='panel_files', to='people.cohort')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('cohort', 'sha256'), name='panel_file_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PanelRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('panel_id', study.accounts.encrypted.EncryptedText()),
                ('panel_hash', models.CharField(max_length=64)),
                ('status', models.CharField(max_length=40)),
                ('code', models.CharField(blank=True, max_length=60)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('settled', models.CharField(blank=True, max_length=200)),
                ('cohort', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='panel_rows', to='people.cohort')),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='people.panelfile')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('cohort', 'panel_hash'), name='panel_row_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PayBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('form', models.CharField(max_length=20)),
                ('payments', models.PositiveIntegerField()),
                ('totals', models.JSONField(default=dict)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('cohort', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='people.cohort')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pay_batches', to='accounts.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'number'), name='pay_batch_number_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=24)),
                ('amount', models.PositiveIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('state', models.CharField(choices=[('due', 'due'), ('approved', 'approved'), ('sent', 'handed over'), ('paid', 'paid'), ('failed', 'not paid'), ('cancelled', 'cancelled')], default='due', max_length=10)),
                ('note', models.CharField(blank=True, max_length=200)),
                ('approved_at', models.DateTimeField(blank=True, null=True)),
                ('second_at', models.DateTimeField(blank=True, null=True)),
                ('paid_at', models.DateTimeField(blank=True, null=True)),
                ('reference', models.CharField(blank=True, max_length=80)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('approved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('batch', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rows', to='people.paybatch')),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='payments', to='people.participant')),
                ('second_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['state'], name='people_paym_state_6d52c0_idx'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('participant', 'reason'), name='payment_once_per_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PaymentEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(max_length=20)),
                ('note', models.CharField(blank=True, max_length=200)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('payment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='people.payment')),
            ],
        ),
        migrations.CreateModel(
            name='PayRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=20)),
                ('amount', models.PositiveIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('cohort', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pay_rules', to='people.cohort')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('cohort', 'reason'), name='pay_rule_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QuotaCell',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=80)),
                ('target', models.PositiveIntegerField(blank=True, null=True)),
                ('cohort', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cells', to='people.cohort')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [
                    models.UniqueConstraint(fields=('cohort', 'code'), name='quota_cell_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ReminderWave',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('to', models.CharField(max_length=10)),
                ('after_days', models.PositiveSmallIntegerField(default=3)),
                ('at_time', models.TimeField()),
                ('active', models.BooleanField(default=True)),
                ('cohort', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='waves', to='people.cohort')),
            ],
            options={
                'ordering': ['cohort', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('cohort', 'number'), name='wave_number_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Slot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('starts_at', models.DateTimeField()),
                ('minutes', models.PositiveSmallIntegerField(default=90)),
                ('places', models.PositiveSmallIntegerField(default=1)),
                ('moderator', models.CharField(max_length=40)),
                ('where', models.CharField(blank=True, max_length=400)),
                ('cancelled_at', models.DateTimeField(blank=True, null=True)),
                ('cohort', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slots', to='people.cohort')),
            ],
            options={
                'ordering': ['starts_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='SlotBooking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('booked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('given_up_at', models.DateTimeField(blank=True, null=True)),
                ('came', models.BooleanField(blank=True, null=True)),
                ('participant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bookings', to='people.participant')),
                ('slot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bookings', to='people.slot')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('came__isnull', True), ('given_up_at__isnull', True)), fields=('participant',), name='slot_booked_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Suppression',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email_hash', models.CharField(max_length=64)),
                ('reason', models.CharField(max_length=12)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='suppressions', to='accounts.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'email_hash'), name='suppression_once'),
                ],
            },
        ),
        migrations.AddIndex(
            model_name='letter',
            index=models.Index(fields=['state', 'due_at'], name='people_lett_state_977a90_idx'),
        ),
        migrations.AddConstraint(
            model_name='contact',
            constraint=models.UniqueConstraint(condition=models.Q(('panel_hash', ''), _negated=True), fields=('panel_hash',), name='contact_panel_id_once'),
        ),
        migrations.AlterField(
            model_name='contact',
            name='email',
            field=models.TextField(blank=True, default=''),
        ),
        migrations.RunPython(seal_addresses, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='contact',
            name='email',
            field=study.accounts.encrypted.EncryptedText(blank=True, default=''),
        ),
        migrations.RemoveConstraint(
            model_name='invitation',
            name='invitation_once_per_cohort',
        ),
        migrations.RemoveField(
            model_name='invitation',
            name='email',
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.UniqueConstraint(fields=('cohort', 'email_hash'), name='invitation_once_per_cohort'),
        ),
    ]
