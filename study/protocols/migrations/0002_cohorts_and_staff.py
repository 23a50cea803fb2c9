
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_cohorts_and_staff'),
        ('protocols', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Deviation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('happened_on', models.DateField()),
                ('what', models.TextField()),
                ('why', models.TextField()),
                ('after_unblinding', models.BooleanField()),
                ('protocol_number', models.PositiveIntegerField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deviations', to='accounts.study')),
            ],
            options={
                'ordering': ['study', 'number'],
                'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='deviation_number_once')],
            },
        ),
    ]
